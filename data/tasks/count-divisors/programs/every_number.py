def count_divisors(n):
    count = 0
    for divisor in range(1, n + 1):
        if n % divisor == 0:
            count += 1
    return count
