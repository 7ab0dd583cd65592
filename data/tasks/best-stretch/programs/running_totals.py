from itertools import accumulate

n = int(input())
numbers = list(map(int, input().split()))
print(max(max(accumulate(numbers[start:])) for start in range(n)))
