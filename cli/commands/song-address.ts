/** Where the first song of a task can be heard, or seen, in the answer of its server, which may say anything. */
export function songAddress(data: unknown): string | undefined {
  const pieces: readonly unknown[] = Array.isArray(data) ? data : [data];
  for (const name of ['audio_url', 'video_url']) {
    for (const piece of pieces) {
      const address: unknown = typeof piece === 'object' && piece !== null ? Reflect.get(piece, name) : undefined;
      // A browser is handed nothing but an address of the web.
      if (typeof address === 'string' && /^https?:\/\//i.test(address)) return address;
    }
  }
  return undefined;
}
