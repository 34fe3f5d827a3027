import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/works.ts';

export const texts: TextsLike<typeof zh> = {
  filter: {
    range: 'Submitted',
    channel: 'Channel ID',
    task: 'Task ID',
    platform: 'Platform',
    action: 'Type',
    status: 'Status',
  },
  column: {
    submitted: 'Submitted',
    finished: 'Finished',
    duration: 'Duration',
    channel: 'Channel',
    platform: 'Platform',
    action: 'Type',
    task: 'Task ID',
    code: 'Submit result',
    status: 'Status',
    progress: 'Progress',
    image: 'Result',
    prompt: 'Prompt',
    promptEnglish: 'PromptEn',
    result: 'Result',
    failure: 'Fail reason',
  },
  image: {
    view: 'View image',
    none: 'None',
    zoom: 'Zoom in',
    fit: 'Fit to window',
    download: 'Download',
    open: 'Open in a new tab',
    broken: 'The image cannot be loaded',
  },
  song: {
    listen: 'Listen',
    read: 'Read lyrics',
    audio: 'Open the audio',
    video: 'Open the video',
    untitled: 'Untitled {number}',
  },
  dialog: { json: 'Task content' },
  banner: { text: 'The drawing callback is off, some tasks may stay without a result', act: 'Open settings' },
  empty: { drawings: 'No drawing tasks yet', tasks: 'No tasks yet' },
};
