/** Whether a process of this machine is running. */
export const isRunning = (pid: number): boolean => {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process exists, too.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};
