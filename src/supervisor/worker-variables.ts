/** The variable that tells a worker how many there are. */
export const workerCountVariable = "VITRINE_WORKERS";

/** The variable that tells a worker its number, from 1; who replaces a worker has its number. */
export const workerNumberVariable = "VITRINE_WORKER";

/**
 * The variable that tells a worker the descriptor of the file for its notes, where there is one.
 */
export const workerNotesVariable = "VITRINE_NOTES";
