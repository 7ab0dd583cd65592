from collections import deque


def main():
    n, k = map(int, input().split())
    circle = deque(range(1, n + 1))
    for _ in range(n - 1):
        circle.rotate(1 - k)
        circle.popleft()
    print(circle[0])


main()
