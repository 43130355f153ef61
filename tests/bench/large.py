#!/usr/bin/env python3
"""A trace of any size: repeats the pages of a trace.dat of version 6, each round at later times.

usage: large.py SOURCE.dat OUT.dat BYTES
The source must be little-endian and not packed (trace-cmd convert --file-version 6), its clock one of
relative times. Memory depends on the source alone. Prints how often it was repeated.
"""
import struct
import sys

MARK = b"flyrecord\0"


def read_source(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:10] != b"\x17\x08\x44tracing" or data[10:12] != b"6\0" or data[12] != 0:
        sys.exit(f"{path}: not a little-endian trace.dat of version 6")
    page_size = struct.unpack_from("<I", data, 14)[0]
    options = data.rfind(b"options  \0")
    mark = data.find(MARK, options)
    if options < 4 or mark < 0:
        sys.exit(f"{path}: no list of CPUs")
    nr_cpus = struct.unpack_from("<I", data, options - 4)[0]
    table = mark + len(MARK)
    places = [struct.unpack_from("<QQ", data, table + 16 * cpu) for cpu in range(nr_cpus)]
    return data[:table], page_size, [bytearray(data[at:at + size]) for at, size in places]


def main():
    source, out, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
    head, page_size, cpus = read_source(source)
    stamps = [[struct.unpack_from("<Q", pages, at)[0] for at in range(0, len(pages), page_size)] for pages in cpus]
    every = [ts for of_cpu in stamps for ts in of_cpu]
    # A page lasts some time after its stamp: as long again as all of them is enough.
    step = 2 * (max(every) - min(every)) + 1000000000
    rounds = max(1, wanted // sum(map(len, cpus)))
    at = len(head) + 16 * len(cpus)
    at += -at % page_size
    with open(out, "wb") as f:
        f.write(head)
        place = at
        for pages in cpus:
            f.write(struct.pack("<QQ", place, len(pages) * rounds))
            place += len(pages) * rounds
        f.write(bytes(at - f.tell()))
        for pages, of_cpu in zip(cpus, stamps):
            for k in range(rounds):
                for i, ts in enumerate(of_cpu):
                    struct.pack_into("<Q", pages, i * page_size, ts + k * step)
                f.write(pages)
    print(rounds)


if __name__ == "__main__":
    main()
