"""What structures with labelled nodes share, with features of nodes and of edges between two of them."""
