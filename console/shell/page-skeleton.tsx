import { Skeleton } from '@mantine/core';
import '@mantine/core/styles/Skeleton.css';

export function PageSkeleton() {
  return <Skeleton height={40} />;
}
