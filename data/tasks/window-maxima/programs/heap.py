from heapq import heappop, heappush


def main():
    n, k = map(int, input().split())
    heap = []
    maxima = []
    for place, number in enumerate(map(int, input().split())):
        heappush(heap, (-number, place))
        while heap[0][1] <= place - k:
            heappop(heap)
        if place >= k - 1:
            maxima.append(-heap[0][0])
    print(*maxima)


main()
