/** Scripts of other sites (console.md 8): loaded once, and only when a page that needs one asks. */

const loading = new Map<string, Promise<void>>();

/** Resolves when the script has run; a failed one is asked for anew the next time. */
export function loadScript(address: string): Promise<void> {
  const known = loading.get(address);
  if (known) return known;
  const loaded = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.async = true;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      loading.delete(address);
      script.remove();
      reject(new Error(`${new URL(address).host} cannot be reached`));
    });
    document.head.append(script);
  });
  loading.set(address, loaded);
  return loaded;
}
