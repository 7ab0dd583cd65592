n, s = map(int, input().split())
numbers = list(map(int, input().split()))
count = 0
for number in set(numbers):
    count += numbers.count(number) * numbers.count(s - number)
print(count // 2)
