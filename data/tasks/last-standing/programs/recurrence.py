def main():
    n, k = map(int, input().split())
    position = 0
    for size in range(2, n + 1):
        position = (position + k) % size
    print(position + 1)


main()
