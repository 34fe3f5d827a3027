/** Puts figures and names in the places of a text that `{name}` stands for; places that nothing is known of stay. */
export function fillText(text: string, params: Readonly<Record<string, string | number | boolean>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : whole,
  );
}
