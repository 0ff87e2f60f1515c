/**
 * From the answers to the census questions to the features of the demonstration's models, as the class Census encodes
 * them, bit for bit.
 */

/** The largest norm of a person's features in the census, by which all are divided. */
const LARGEST_NORM = 4.325567079586213;

/**
 * @param row education and experience in years, ethnicity 'cauc' or 'afam', smsa and parttime 'yes' or 'no', region
 *     'northeast', 'midwest', 'south' or 'west'
 * @param scale by which the demonstration multiplies all features
 * @returns the features, an array of 8 numbers
 */
export function encode(row, scale) {
  const years = (row.experience - 20) / 25;
  const features = [
    1,
    (row.education - 12) / 6,
    years,
    years * years,
    row.ethnicity === "afam" ? 1 : 0,
    row.smsa === "yes" ? 1 : 0,
    row.region === "south" ? 1 : 0,
    row.parttime === "yes" ? 1 : 0
  ];
  return features.map(value => scale * (value / LARGEST_NORM));
}
