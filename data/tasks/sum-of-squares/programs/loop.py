def sum_of_squares(n):
    total = 0
    for number in range(1, n + 1):
        total += number * number
    return total
