/** Options that exports of related products carry: accepted and kept, without effect. */
import * as z from 'zod/mini';
import { flag, integer, type OptionEntry } from './options-entry.ts';

const legacy = (en: string, zh: string) => ({ class: 'admin', section: 'legacy', label: { en, zh } }) as const;

const permission = (en: string, zh: string): OptionEntry<number> => ({
  ...integer(0, {}, legacy(en, zh)),
  schema: z.literal([0, 1, 10, 100]),
});

export const legacyOptions = {
  StopOnSensitiveEnabled: flag(true, legacy('Stop on sensitive words', '检测到屏蔽词时停止')),
  StreamCacheQueueLength: integer(0, { min: 0, max: 1000 }, legacy('Stream cache queue length', '流缓存队列长度')),
  FileUploadPermission: permission('File upload permission', '文件上传权限'),
  FileDownloadPermission: permission('File download permission', '文件下载权限'),
  ImageUploadPermission: permission('Image upload permission', '图片上传权限'),
  ImageDownloadPermission: permission('Image download permission', '图片下载权限'),
};
