from collections import deque

n, k = map(int, input().split())
circle = deque(range(1, n + 1))
while len(circle) > 1:
    for _ in range(k - 1):
        circle.append(circle.popleft())
    circle.popleft()
print(circle[0])
