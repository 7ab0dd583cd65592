from collections import deque


def main():
    n, k = map(int, input().split())
    numbers = list(map(int, input().split()))
    falling = deque()
    maxima = []
    for place, number in enumerate(numbers):
        while falling and numbers[falling[-1]] <= number:
            falling.pop()
        falling.append(place)
        if falling[0] <= place - k:
            falling.popleft()
        if place >= k - 1:
            maxima.append(numbers[falling[0]])
    print(*maxima)


main()
