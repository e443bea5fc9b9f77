import sys

for line in sys.stdin:
    print(1 + int(line) % 2, flush=True)
