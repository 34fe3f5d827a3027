/** Reads a file that shall go along with a message: an image, made smaller where it is large, or text. */
import type { Attachment } from './conversation.ts';

export type AttachmentFault = 'unreadable' | 'large' | 'kind';

const maxBytes = 4 * 1024 * 1024;
const maxSide = 2048;
/** What models take; everything else is drawn anew. */
const plainTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export async function attachmentOf(file: File): Promise<Attachment | AttachmentFault> {
  const { name } = file;
  if (file.type.startsWith('image/')) {
    const content = await imageOf(file);
    return content.length * 0.75 > maxBytes ? 'large' : { kind: 'image', name, content };
  }
  if (file.size > maxBytes) return 'large';
  const content = await file.text();
  // Of bytes that are no text one at least is not drawn.
  return /[\0\ufffd]/.test(content) ? 'kind' : { kind: 'text', name, content };
}

async function imageOf(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const share = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  if (share === 1 && file.size <= maxBytes && plainTypes.has(file.type)) return dataUrlOf(file);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * share));
  canvas.height = Math.max(1, Math.round(bitmap.height * share));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const exact = canvas.toDataURL('image/png');
  return exact.length * 0.75 <= maxBytes ? exact : canvas.toDataURL('image/jpeg', 0.85);
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
