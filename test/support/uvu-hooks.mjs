/** Module hook of a pass: tests that import `uvu` get `uvu-with-hook-errors.ts` around it. */
const wrapper = new URL('uvu-with-hook-errors.ts', import.meta.url).href;

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const isUvu = found.url.endsWith('/uvu/dist/index.mjs') && context.parentURL !== wrapper;
  return isUvu ? { ...found, url: wrapper, format: undefined } : found;
}
