import { absolute, relative } from "../format/times.ts";
import { usePanel } from "../panel.ts";

/**
 * A relative time; its title has the absolute one. `at` as in JSON, or in milliseconds since 1970.
 */
export const Time = ({ at }: { readonly at: string | number }) => {
  const { now } = usePanel();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={absolute(date.getTime())}>
      {relative(date.getTime(), now.value)}
    </time>
  );
};
