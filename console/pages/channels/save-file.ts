/** Hands an answer to the browser as a file. */

/** @param name taken where the answer brings none */
export async function saveFile(response: Response, name: string): Promise<void> {
  const given = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = given ?? name;
  link.click();
  // Some browsers read the address after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
