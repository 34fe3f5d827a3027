/** What the bundler gives to modules of the console. */
declare module '*.css';
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module 'virtual:theme.css';

interface ImportMeta {
  readonly env: { readonly DEV: boolean };
  glob<T>(pattern: string): Readonly<Record<string, () => Promise<T>>>;
}
