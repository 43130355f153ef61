#!/usr/bin/env bash
# Boots a kernel under software emulation with guest.sh as its first process, and unpacks what that wrote to its disk.
#   tests/vm/boot.sh KERNEL_FOLDER OUT SECONDS PROGRAM… -- QEMU_ARGUMENT…
# The programs come with their shared libraries.  Exits 1 if the guest does not finish, and is given up when it says
# nothing for SECONDS: how long all of it takes is a matter of this machine.  OUT/console is what it printed.
set -eu
here=$(dirname "$(realpath "$0")")
kernel=$1 out=$2 seconds=$3
shift 3
rm -rf "$out"
mkdir -p "$out/home"
out=$(realpath "$out")
work=$(mktemp -d)
qemu=
cleanup() {
	[ -z "$qemu" ] || kill -9 "$qemu" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

root=$work/root
mkdir -p "$root/bin" "$root/modules"
cp /bin/busybox "$root/bin/busybox"
install -m 755 "$here/guest.sh" "$root/init"
while [ "$1" != -- ]; do
	cp -L "$1" "$root/bin/"
	# Where the loader looks for each is where it is here.
	ldd "$1" | grep -oE '/[^ )]+' | while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
	shift
done
shift

# The disk's driver; what a kernel has built in is no file.
for module in virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
	file=$(find "$kernel" -name "$module.ko*" | head -1)
	case $file in
	'') continue ;;
	*.xz) xz -dc "$file" >"$root/modules/$module.ko" ;;
	*.zst) zstd -qdc "$file" >"$root/modules/$module.ko" ;;
	*) cp "$file" "$root/modules/$module.ko" ;;
	esac
done
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1 >"$work/initramfs")
truncate -s 1G "$work/disk"

qemu-system-x86_64 -accel tcg,thread=multi -cpu max,vendor=GenuineIntel,family=6,model=85,stepping=4 \
	-m 2G "$@" -kernel "$(find "$kernel" -name 'vmlinuz*' | head -1)" -initrd "$work/initramfs" \
	-append 'console=ttyS0 quiet tsc=reliable clocksource=tsc mitigations=off nokaslr panic=-1 sched_verbose' \
	-drive "file=$work/disk,format=raw,if=virtio" -nographic -no-reboot -nic none \
	</dev/null >"$out/console" 2>&1 &
qemu=$!
# Whether it ends by itself or is given up: only this one process is ever ended.
said=0
for ((i = 0; i < seconds * 2; i++)); do
	kill -0 "$qemu" 2>/dev/null || break
	sleep 0.5
	now=$(stat -c %s "$out/console")
	((now == said)) || i=0
	said=$now
done
kill -9 "$qemu" 2>/dev/null || true
wait "$qemu" 2>/dev/null || true
qemu=
grep -q '^vm: done' "$out/console" || exit 1
tar xf "$work/disk" -C "$out/home"
[ -s "$out/home/release" ]
