/**
 * Puts figures and names in the places of a text that `{name}` stands for; places that nothing is known of stay.
 * `{name:key|keys}` is the first word where the figure is 1, else the second.
 */
export function fillText(text: string, params: Readonly<Record<string, string | number | boolean>> = {}): string {
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g, (whole, name: string, one?: string, other?: string) => {
    if (!Object.hasOwn(params, name)) return whole;
    return (params[name] === 1 ? one : other) ?? String(params[name]);
  });
}
