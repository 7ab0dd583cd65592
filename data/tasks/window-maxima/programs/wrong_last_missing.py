n, k = map(int, input().split())
numbers = list(map(int, input().split()))
print(*[max(numbers[start : start + k]) for start in range(n - k)])
