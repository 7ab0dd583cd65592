n, q = map(int, input().split())
numbers = list(map(int, input().split()))
for _ in range(q):
    left, right = map(int, input().split())
    print(sum(numbers[left - 1 : right]))
