// The part of the address that says which turn is seen, and whose view: #t=42&view=1.

/** @returns {{turn: number | null, view: -1 | 0 | 1}} */
export function readLink(hash = location.hash) {
    const parts = new URLSearchParams(hash.slice(1));
    const [turn, view] = [parts.get("t"), parts.get("view")];
    return {
        turn: turn !== null && /^\d{1,9}$/.test(turn) ? Number(turn) : null,
        view: view === "0" || view === "1" ? Number(view) : -1,
    };
}

/** Return the address of a turn, seen by a seat or (-1) with all that there is. */
export function linkTo(turn, view) {
    const address = new URL(location.href);
    address.hash = view === -1 ? `t=${turn}` : `t=${turn}&view=${view}`;
    return address.href;
}

/** Let the address say where we are, without another step for the browser's button "back". */
export function showLink(turn, view) {
    const address = linkTo(turn, view);
    if (address !== location.href) {
        history.replaceState(null, "", address);
    }
}
