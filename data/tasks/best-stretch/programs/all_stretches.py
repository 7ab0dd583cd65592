n = int(input())
numbers = list(map(int, input().split()))
best = numbers[0]
for start in range(n):
    total = 0
    for end in range(start, n):
        total += numbers[end]
        if total > best:
            best = total
print(best)
