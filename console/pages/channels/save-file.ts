/** Hands an answer to the browser as a file. */
import { downloadFile } from '../../components/csv-download.ts';

/** @param name taken where the answer brings none */
export async function saveFile(response: Response, name: string): Promise<void> {
  const given = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const content = await response.blob();
  downloadFile(given ?? name, content, content.type);
}
