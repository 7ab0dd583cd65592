n, q = map(int, input().split())
numbers = list(map(int, input().split()))
before = [0]
for number in numbers:
    before.append(before[-1] + number)
for _ in range(q):
    left, right = map(int, input().split())
    print(before[right - 1] - before[left - 1])
