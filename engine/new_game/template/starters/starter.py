while True:
    total = int(input())
    print(1, flush=True)
