from itertools import accumulate

input()
numbers = map(int, input().split())
print(max(accumulate(numbers, lambda total, number: max(total, 0) + number)))
