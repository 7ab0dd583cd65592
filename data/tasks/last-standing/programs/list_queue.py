n, k = map(int, input().split())
circle = list(range(1, n + 1))
while len(circle) > 1:
    for _ in range(k - 1):
        circle.append(circle.pop(0))
    circle.pop(0)
print(circle[0])
