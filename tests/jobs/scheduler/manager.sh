# Runs $1/scenario.sh under a user's manager of its own: as an ordinary user, in private namespaces, with a
# control group that ends with them. The folder $1 is /mnt inside; the further arguments are folders that have
# to be readable there. Needs root.
set -eu
if [ "$1" != inside ]; then
    cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
    group=$cgroups/zecher-test-$$
    mkdir "$group"
    trap 'for i in 1 2 3 4 5 6 7 8 9 10; do
        find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; [ -d "$group" ] || break; sleep 0.1
    done' EXIT
    # Not exec: what is in the group has to be gone before the group is.
    sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec unshare --mount --cgroup --pid --fork --kill-child \
        --mount-proc --net sh "$@"' sh "$group" "$0" inside "$@"
    exit
fi
shift
world=$1 user=4711
mount --make-rprivate /
mount -t cgroup2 cgroup2 /sys/fs/cgroup
chown -R $user /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/systemd/unit-root /run/systemd/inaccessible /run/systemd/propagate \
    /run/user/$user /run/held
chown $user:$user /run/user/$user
chmod 700 /run/user/$user
chown -R $user:$user "$world"
mount --bind "$world" /mnt
shift

# Where a folder above one of the others is closed to this user, it shows that one only.
number=0
for path; do
    number=$((number + 1))
    mkdir "/run/held/$number"
    mount --rbind "$path" "/run/held/$number"
done
for path; do
    closed= above=$path
    while [ "$above" != / ]; do
        above=$(dirname "$above")
        case $(stat -c %a "$above") in *[1357]) ;; *) closed=$above ;; esac
    done
    [ -z "$closed" ] || mount -t tmpfs -o mode=755 tmpfs "$closed"
done
number=0
for path; do
    number=$((number + 1))
    [ -e "$path/." ] || { mkdir -p "$path" && mount --rbind "/run/held/$number" "$path"; }
done
ip link set lo up 2>/dev/null || true
echo "of the machine" >/tmp/zecher-marker 2>/dev/null || true

cd /mnt
as_user() {
    setpriv --reuid $user --regid $user --clear-groups env -i HOME=/mnt/home PATH=/usr/local/bin:/usr/bin:/bin \
        LANG=C XDG_RUNTIME_DIR=/run/user/$user "$@"
}
as_user mkdir -p /mnt/home /mnt/out
as_user /lib/systemd/systemd --user --log-target=console >/mnt/out/manager 2>&1 &
tries=0
until as_user systemctl --user is-system-running >/mnt/out/running 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || exit 77
    sleep 0.1
done
as_user sh /mnt/scenario.sh
