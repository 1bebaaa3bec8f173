"""Line-API views and small status widgets."""
