/** Home (console.md 6.1): what the operator wrote, else the built-in page. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { pageContent as endpoints } from '../../../daemon/contract/page-content.ts';
import { callsFor } from '../../api/client.ts';
import { useStatus } from '../../session/status.ts';
import { readText, writeText } from '../../session/storage.ts';
import { BuiltInHome } from './built-in-home.tsx';
import { SiteContent } from './site-content.tsx';

const pageContent = callsFor({ home: endpoints.home });

/** Of the last answer, shown until the next one is there. */
const storageKey = 'home_page_content';

export function Page() {
  const { t } = useTranslation('frame');
  const status = useStatus();
  const answer = useQuery({
    queryKey: ['page-content', 'home'],
    queryFn: async ({ signal }) => {
      const content = await pageContent.home({}, { signal });
      writeText(storageKey, content === '' ? undefined : content);
      return content;
    },
    // Whatever goes wrong here is told nobody: the built-in page stands in.
    retry: false,
  });
  const content = answer.data ?? readText(storageKey) ?? '';
  if (content.trim() === '') return <BuiltInHome />;
  return <SiteContent content={content} title={status?.system_name || t('page.home')} />;
}
