/** The package has no types: an extension of marked that writes the format of manual pages. */
declare module 'marked-man' {
  const extension: import('marked').MarkedExtension;
  export default extension;
}
