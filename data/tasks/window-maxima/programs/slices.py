n, k = map(int, input().split())
numbers = list(map(int, input().split()))
line = ""
for start in range(n - k + 1):
    line += str(max(numbers[start : start + k])) + " "
print(line)
