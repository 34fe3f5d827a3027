/** Rows of long-running work as the relay leaves them behind. */
import type { NewMidjourney } from '../../daemon/store/midjourneys.ts';
import type { NewTask } from '../../daemon/store/tasks.ts';

/** A finished drawing that leaves nothing out. */
export function newDrawing(over: Partial<NewMidjourney>): NewMidjourney {
  const texts = { description: '', state: '', failReason: '', botType: '', customId: '', videoUrl: '', videoUrls: '' };
  return {
    createdAt: 1000,
    code: 1,
    userId: 1,
    tokenId: 9,
    channelKeyHash: 'hidden-hash',
    requestId: 'hidden-request',
    action: 'IMAGINE',
    mjId: '',
    prompt: 'a fox',
    promptEn: 'a fox',
    submitTime: 0,
    startTime: 0,
    finishTime: 0,
    imageUrl: 'https://inside.example/i.png',
    status: 'SUCCESS',
    progress: '100%',
    channelId: 5,
    quota: 7,
    tokenQuota: 7,
    buttons: '[]',
    properties: '{}',
    ...texts,
    ...over,
  };
}

/** A song under way. */
export function newTask(over: Partial<NewTask>): NewTask {
  return {
    createdAt: 1000,
    updatedAt: 1000,
    taskId: '',
    platform: 'suno',
    userId: 1,
    channelId: 1,
    tokenId: 9,
    channelKeyHash: 'hidden-hash',
    requestId: 'hidden-request',
    quota: 7,
    tokenQuota: 7,
    action: 'MUSIC',
    status: 'IN_PROGRESS',
    failReason: '',
    submitTime: 0,
    startTime: 0,
    finishTime: 0,
    progress: '30%',
    properties: '{"input":"a song"}',
    data: '[{"id":"clip"}]',
    ...over,
  };
}
