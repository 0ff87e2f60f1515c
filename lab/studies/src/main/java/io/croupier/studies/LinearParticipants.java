package io.croupier.studies;

/** People whose losses are those of a linear prediction. */
interface LinearParticipants extends Participants {

  /** The L2 norm of the features of the person called. */
  double featureNorm();
}
