n, s = map(int, input().split())
seen = {}
count = 0
for number in map(int, input().split()):
    count += seen.get(s - number, 0)
    seen[number] = seen.get(number, 0) + 1
print(count)
