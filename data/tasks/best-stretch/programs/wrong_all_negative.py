n = int(input())
best = total = 0
for number in map(int, input().split()):
    total = max(0, total + number)
    best = max(best, total)
print(best)
