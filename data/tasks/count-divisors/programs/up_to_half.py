def count_divisors(n):
    return 1 + sum(1 for divisor in range(1, n // 2 + 1) if n % divisor == 0)
