import sys


def main():
    lines = sys.stdin.read().splitlines()
    numbers = list(map(int, lines[1].split()))
    answers = []
    for line in lines[2:]:
        left, right = map(int, line.split())
        answers.append(sum(numbers[left - 1 : right]))
    print("\n".join(map(str, answers)))


main()
