"""What runs inside the worker process, from launch to the forked program. Standard library only.

One worker is a process that isolates itself, loads what programs usually import, and then forks
once for every run. It stays single-threaded, holds no expected answer, and reads the clock.
"""
