"""Looking inside a trained model: texts in; matrices, rankings, smaller models and pictures out."""
