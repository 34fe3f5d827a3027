/** The hour that figures of the screens are of. */

const hour = 3600;

/** As reports take it, unix seconds. */
export function lastHour() {
  const end_timestamp = Math.floor(Date.now() / 1000);
  return { start_timestamp: end_timestamp - hour, end_timestamp };
}
