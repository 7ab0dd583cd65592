n, s = map(int, input().split())
numbers = list(map(int, input().split()))
count = 0
for i in range(n):
    for j in range(i + 1, n):
        if numbers[i] + numbers[j] == s:
            count += 1
print(count)
