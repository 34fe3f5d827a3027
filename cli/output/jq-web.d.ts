/** The part of jq-web 0.6 that is used; the package ships no types. */
declare module 'jq-web' {
  interface JqModule {
    raw(json: string, filter: string, flags?: string[]): string | undefined;
  }
  const loading: Promise<JqModule>;
  export default loading;
}
