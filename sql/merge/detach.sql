DETACH source;
